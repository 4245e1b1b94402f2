import type { Scope } from '#expression'
import { isPlainObject } from '#json'

/** What every JVM has, and the folder of the instance. Others may be secrets, as environment variables may. */
const READABLE: ReadonlySet<string> = new Set([
  'user.home',
  'user.name',
  'user.dir',
  'java.io.tmpdir',
  'os.name',
  'os.arch',
  'file.separator',
  'path.separator',
  'line.separator',
  'file.encoding',
  'openig.base',
  'ig.instance.dir',
])

/** The value that `system[name]` has in expressions, for properties that scripts may read; otherwise null. */
export function platformProperty(name: string, scope: Scope): string | null {
  const system = READABLE.has(name) ? scope.lookup('system') : null
  const value = isPlainObject(system) && Object.hasOwn(system, name) ? system[name] : null
  return typeof value === 'string' ? value : null
}
