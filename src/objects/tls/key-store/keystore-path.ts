import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The path of a keystore `url`, relative to `base`; null for a URL that is no local file. */
export function keystorePath(url: string, base = '/'): string | null {
  if (url === '') return null
  if (!/^[a-z][a-z0-9+.-]+:/i.test(url)) return resolve(base, url)
  if (!url.startsWith('file:') || !URL.canParse(url)) return null
  try {
    return fileURLToPath(url)
  } catch {
    return null
  }
}
