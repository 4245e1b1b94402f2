import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_CONFIG } from '#instance'
import type { JsonObject } from '#json'
import { type AdminSettings, readConfigFile } from './admin-settings.ts'

/** Path of config.json. */
export function configFile({ directories }: AdminSettings): string {
  return join(directories.config, 'config.json')
}

/** The current config.json, for explanations. */
export function configDocument(settings: AdminSettings): JsonObject {
  const path = configFile(settings)
  return existsSync(path) ? (readConfigFile(path).value as JsonObject) : DEFAULT_CONFIG
}

/** Text of config.json; null without one. */
export function configText(settings: AdminSettings): string | null {
  const path = configFile(settings)
  return existsSync(path) ? readFileSync(path, 'utf8') : null
}

/** The revision of config.json in `/api/info`: a hash of its text. */
export function configRevision(text: string | null): string {
  return createHash('sha256')
    .update(text ?? '')
    .digest('hex')
    .slice(0, 12)
}
