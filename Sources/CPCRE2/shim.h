// PCRE2 for UTF-8: the width of a code unit must be defined before its header is included.
#pragma once
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
