import { createRequire } from 'node:module'

type Tldts = typeof import('tldts')

const require = createRequire(import.meta.url)
let loaded: Tldts | null = null

/**
 * Whether names below a domain belong to different owners, as those of `co.uk` and `github.io` do (publicsuffix.org, both
 * sections): a cookie for all of them is refused (RFC 6265 section 5.3). The list is loaded when it is first needed,
 * since it takes some milliseconds and megabytes in each thread.
 */
export function isPublicSuffix(domain: string): boolean {
  loaded ??= require('tldts') as Tldts
  const { publicSuffix, isIcann, isPrivate } = loaded.parse(domain, {
    allowPrivateDomains: true,
    extractHostname: false,
  })
  return publicSuffix === domain && (isIcann === true || isPrivate === true)
}
