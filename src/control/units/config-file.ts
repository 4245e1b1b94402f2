import { join } from 'node:path'
import { readIfPresent } from '#instance'

/** Path of config.json in its folder. */
export function configFile(folder: string): string {
  return join(folder, 'config.json')
}

/** Text of config.json; null without one. */
export function configText(folder: string): string | null {
  return readIfPresent(configFile(folder))?.toString('utf8') ?? null
}
