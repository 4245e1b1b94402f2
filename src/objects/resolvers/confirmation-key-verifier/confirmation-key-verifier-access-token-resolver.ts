import { createHash } from 'node:crypto'
import {
  type AccessToken,
  AccessTokenResolverKind,
  CertificateThumbprintContext,
  type TokenRejection,
} from '#contracts'
import { Certificate } from '#expression'
import { type Exchange, equalsConstantTime } from '#http'
import { boolean, config, defineType, ref } from '#schema'
import { bindingOf, invalidToken, withAdmission } from '../../lib/tokens/bound-token.ts'

/** Verifies that tokens are bound to the certificate of the client. */
export const ConfirmationKeyVerifierAccessTokenResolver = defineType({
  name: 'ConfirmationKeyVerifierAccessTokenResolver',
  kind: AccessTokenResolverKind,
  summary: 'Verifies that access tokens are bound to the certificate of the client (RFC 8705).',
  config: {
    delegate: ref(AccessTokenResolverKind).meta({ description: 'Resolves and validates access tokens.' }),
    allowUnboundTokens: config(boolean()).default(false).meta({
      description: 'Whether unbound tokens (without `cnf`) are admitted.',
    }),
  },
  create: ({ delegate, allowUnboundTokens }) =>
    withAdmission(delegate, delegate.schemes ?? ['Bearer'], (token, exchange) =>
      mismatch(token, exchange, allowUnboundTokens ? 'admitted' : 'refused'),
    ),
})

/** The refusal of a token that is not bound to the certificate of the client; null where it is (spec gap 169). */
function mismatch(token: AccessToken, exchange: Exchange, unbound: 'admitted' | 'refused'): TokenRejection | null {
  const binding = bindingOf(token, 'x5t#S256')
  if (binding === 'none')
    return unbound === 'admitted' ? null : invalidToken('The access token is bound to no certificate.')
  if (binding === 'other') return invalidToken('The access token is bound to something that can not be verified here.')
  const thumbprint = thumbprintOf(exchange)
  if (thumbprint === null) return invalidToken('The access token is bound to a certificate, and the client sent none.')
  if (equalsConstantTime(thumbprint, binding.thumbprint)) return null
  return invalidToken('The access token is bound to another certificate.')
}

/** The thumbprint of a filter takes precedence: it is set where a proxy in front of the gateway terminates TLS. */
function thumbprintOf(exchange: Exchange): string | null {
  const found = exchange.context(CertificateThumbprintContext)
  if (found !== null) return found.thumbprint
  const [own] = exchange.client.certificates
  if (!(own instanceof Certificate)) return null
  const known = thumbprints.get(own) ?? createHash('sha256').update(own.x509.raw).digest('base64url')
  thumbprints.set(own, known)
  return known
}

/** A connection has one certificate for all its requests. */
const thumbprints = new WeakMap<Certificate, string>()
