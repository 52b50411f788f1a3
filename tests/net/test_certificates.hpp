// SPDX-License-Identifier: Apache-2.0
// An authority with a server's and a client's certificate, made by openssl in a temporary folder.
#pragma once

#include <string>

#include "support/temporary_folder.hpp"

namespace convene {

class test_certificates {
   public:
    test_certificates();

    [[nodiscard]] std::string file(const std::string& name) const;

   private:
    void run(const std::string& arguments) const;

    temporary_folder folder_;
};

}  // namespace convene
