// The one compiled copy of Asio and Beast (BOOST_ASIO_SEPARATE_COMPILATION and its Beast twin).
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
