import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Path of config.json in its folder. */
export function configFile(folder: string): string {
  return join(folder, 'config.json')
}

/** Text of config.json; null without one. */
export function configText(folder: string): string | null {
  const path = configFile(folder)
  return existsSync(path) ? readFileSync(path, 'utf8') : null
}
