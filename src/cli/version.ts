import { readFileSync } from 'node:fs'

/** Version of the gateway, and the revision it was built from where known. */
export const VERSION = {
  version: versionIn(new URL('../../package.json', import.meta.url)),
  revision: process.env['GATEWAY_BUILD_REVISION'] ?? 'checkout',
}

/** Versions of the platform. */
export function platformVersions(): { node: string; v8: string; openssl: string } {
  const { node, v8, openssl } = process.versions
  return { node, v8, openssl }
}

function versionIn(file: string | URL): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
