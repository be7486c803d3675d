// Messages to the service manager, systemd's protocol: a datagram to $NOTIFY_SOCKET.
#pragma once

#include <string>

namespace lk {

// "READY=1", "STOPPING=1", "STATUS=...". Does nothing without a service manager.
void notify_manager(const std::string& message);

}  // namespace lk
