# tare @VERSION@ for Conan 2, beside its source: conan create .
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Tare(ConanFile):
    name = "tare"
    version = "@VERSION@"
    description = "benchmarks in a program with Lua in it"
    license = "MIT"
    package_type = "static-library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"lua": ["ANY"]}
    default_options = {"lua": "lua/[>=5.1 <5.6]"}
    exports_sources = "tare.c", "tare.h", "CMakeLists.txt", "LICENSE"

    def requirements(self):
        self.requires(str(self.options.lua))

    def layout(self):
        cmake_layout(self)

    def generate(self):
        name = str(self.options.lua).split("/")[0]
        lua = self.dependencies[name].cpp_info.aggregated_components()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TARE_LUA_INCLUDE_DIR"] = ";".join(
            lua.includedirs).replace("\\", "/")
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder,
             os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["tare"]
        self.cpp_info.defines = ["TARE_STATIC"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["m", "dl"]
