// What the one-shot commands share: configuration, one reading of the host, a profile by name.
#pragma once

#include "daemon/command.hpp"
#include "service/engine.hpp"

namespace lk {

// The configuration that --root and --config ask for. On a captured tree the labels, waivers and
// node overrides of this host's own file are left out, unless that file was asked for by name: they
// say nothing about another host.
Result<Config> configured(const Arguments& arguments);

// An engine that has read the host once.
Result<std::unique_ptr<Engine>> read_host(const Arguments& arguments);

// What the configuration says that this host cannot follow, in sentences.
std::vector<std::string> misconfigured(const Inventory& inventory);

// The host against a profile, with the waivers of the configuration and those of the API that this
// user may read; complains about those that cannot be read.
Audit audited(Engine& engine, const Profile& profile, const std::vector<std::string>& only);

// --profile: the name of one in the store, or a file (anything with a slash, or "*.yaml").
Result<Profile> chosen_profile(const Config& config, const Arguments& arguments);
// A file outside the store: it may extend the profiles beside it and those in the store; where both
// have a name, the one beside it wins.
Result<Profile> profile_of_file(const Config& config, const std::string& file);

int fail(const Error& error);            // complains; kFailed
int nothing_read(const Engine& engine);  // complains that the host said nothing; kFailed
int show(const std::string& text);       // prints; kFailed if that cannot be done

}  // namespace lk
