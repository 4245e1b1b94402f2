import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The path that a `url` of a keystore means, relative ones from `base`; null for what is not on this machine. */
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
