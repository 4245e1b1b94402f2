import { readFileSync } from 'node:fs'

const packageFile = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** Version of the gateway, and the revision it was built from where the build says so. */
export const VERSION = { version: packageFile.version, revision: process.env['GATEWAY_BUILD_REVISION'] ?? 'checkout' }
