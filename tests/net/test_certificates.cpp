// SPDX-License-Identifier: Apache-2.0
// Certificates for a test, by the openssl program.
#include "net/test_certificates.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace convene {

test_certificates::test_certificates() {
    const std::string curve = " -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 ";
    run("req -x509" + curve + "-keyout ca.key -out ca.pem -subj /CN=authority");
    for (const std::string name : {"server", "client"}) {
        run("req" + curve + "-keyout " + name + ".key -out " + name + ".csr -subj /CN=" + name);
        std::ofstream{file(name + ".ext")} << "subjectAltName=DNS:localhost,IP:127.0.0.1\n";
        run("x509 -req -in " + name +
            ".csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out " + name +
            ".pem -extfile " + name + ".ext");
    }
    // An authority that signed nothing of this.
    run("req -x509" + curve + "-keyout other.key -out other.pem -subj /CN=other");
}

std::string test_certificates::file(const std::string& name) const {
    return (folder_.path() / name).native();
}

void test_certificates::run(const std::string& arguments) const {
    const std::string command = "cd '" + folder_.path().native() + "' && openssl " + arguments +
                                " >/dev/null 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace convene
