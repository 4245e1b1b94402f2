import { homedir, tmpdir, userInfo } from 'node:os'
import { delimiter, sep } from 'node:path'
import type { SystemProperties } from './system-properties.ts'

const SYSTEMS: Readonly<Record<string, string>> = { linux: 'Linux', darwin: 'Mac OS X', win32: 'Windows' }
const PROCESSORS: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'aarch64' }

/** The system properties that every JVM has and configuration uses, with the values of this process. */
export function platformProperties(): SystemProperties {
  const known: Readonly<Record<string, string | null>> = {
    'user.home': readOrNull(homedir),
    'user.name': readOrNull(() => userInfo().username),
    'user.dir': readOrNull(() => process.cwd()),
    'java.io.tmpdir': tmpdir(),
    'os.name': SYSTEMS[process.platform] ?? process.platform,
    'os.arch': PROCESSORS[process.arch] ?? process.arch,
    'file.separator': sep,
    'path.separator': delimiter,
    'line.separator': '\n',
    'file.encoding': 'UTF-8',
  }
  return Object.fromEntries(Object.entries(known).filter((entry): entry is [string, string] => entry[1] !== null))
}

/** A container may run as a user without an entry in the system's list, or in a folder that was removed. */
function readOrNull(read: () => string): string | null {
  try {
    return read()
  } catch {
    return null
  }
}
