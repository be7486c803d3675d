#include "api/metrics.hpp"

#include <doctest/doctest.h>

using namespace lk;

TEST_CASE("label values are escaped and always UTF-8") {
  MetricsText out;
  out.family("x", MetricsText::Type::gauge, "Help.");
  out.sample({{"a", "q\" b\\ n\n\n t\t\x1b \u009b \u202e \xff"}, {"empty", ""}}, 1.5);
  CHECK(out.take() ==
        "# HELP lanekeeper_x Help.\n# TYPE lanekeeper_x gauge\n"
        "lanekeeper_x{a=\"q\\\" b\\\\ n\\n\\n t?? ? ? ?\"} 1.5\n");
}

TEST_CASE("a family without samples is absent") {
  MetricsText out;
  out.family("x", MetricsText::Type::gauge, "Help.");
  out.family("y", MetricsText::Type::counter, "Help.");
  out.sample({}, 3);
  CHECK(out.take() == "# HELP lanekeeper_y Help.\n# TYPE lanekeeper_y counter\nlanekeeper_y 3\n");
}

TEST_CASE("histograms are cumulative and end in +Inf") {
  RequestMetrics requests;
  requests.record("/a", "GET", 200, 0.0001);
  requests.record("/a", "GET", 200, 0.02);
  requests.record("/a", "GET", 404, 60);
  MetricsText out;
  requests.write(out);
  const auto text = out.take();
  for (const auto* line :
       {"lanekeeper_http_requests_total{route=\"/a\",method=\"GET\",code=\"200\"} 2\n",
        "_bucket{route=\"/a\",le=\"0.0005\"} 1\n", "_bucket{route=\"/a\",le=\"0.025\"} 2\n",
        "_bucket{route=\"/a\",le=\"2.5\"} 2\n", "_bucket{route=\"/a\",le=\"+Inf\"} 3\n",
        "_count{route=\"/a\"} 3\n"}) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
}
