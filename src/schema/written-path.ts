import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { Directories } from './environment.ts'

/** The path of a file or folder that the gateway writes: a path inside the instance is the same path in the state directory. */
export function writtenPath(path: string, { instance, writable }: Pick<Directories, 'instance' | 'writable'>): string {
  const inInstance = resolve(instance, path)
  const inside = relative(instance, inInstance)
  const isOutside = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)
  return isOutside ? inInstance : resolve(writable, inside)
}
