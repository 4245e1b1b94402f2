import { globSync } from 'node:fs'

const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')

/** Why clocks can not be shifted here, or false. */
export const faketimeMissing: string | false =
  library === undefined ? 'faketime (Debian: faketime) is not installed: all clocks are equal' : false

/**
 * Environment of a process whose wall clock differs, such as by `+5h`. The library alone: the command faketime stays the parent
 * of the process, and would be the one that a test kills.
 */
export function shiftedClock(difference: string): Record<string, string> {
  if (library === undefined) return {}
  return { LD_PRELOAD: library, FAKETIME: difference, FAKETIME_DONT_FAKE_MONOTONIC: '1', NO_FAKE_STAT: '1' }
}
