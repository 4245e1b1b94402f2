import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** A path prefix whose tokens are verified with the public key in a file. */
interface TokenPath {
  readonly path: string
  readonly algorithm: string
  readonly keyFile: string
}

/**
 * Envoy's jwt_authn: signature, issuer, audience and time of a bearer token on each path. With a cache, a token that was
 * verified is found again without verification. Other paths are forwarded without validation.
 */
export function envoyJwtFilter(
  { issuer, audience }: { readonly issuer: string; readonly audience: string },
  judged: readonly (TokenPath & { readonly isCached: boolean })[],
): object {
  const providers = Object.fromEntries(
    judged.map(({ path, algorithm, keyFile, isCached }) => [
      providerOf(path),
      {
        issuer,
        audiences: [audience],
        forward: true,
        local_jwks: { inline_string: JSON.stringify({ keys: [publicJwk(keyFile, algorithm)] }) },
        ...(isCached && { jwt_cache_config: { jwt_cache_size: 100 } }),
      },
    ]),
  )
  return {
    name: 'envoy.filters.http.jwt_authn',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication',
      providers,
      rules: judged.map(({ path }) => ({ match: { prefix: path }, requires: { provider_name: providerOf(path) } })),
    },
  }
}

function providerOf(path: string): string {
  return path.slice(1)
}

function publicJwk(keyFile: string, algorithm: string): object {
  return { ...createPublicKey(readFileSync(keyFile)).export({ format: 'jwk' }), alg: algorithm, use: 'sig' }
}
