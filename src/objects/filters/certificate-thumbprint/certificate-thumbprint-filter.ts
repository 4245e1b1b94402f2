import { createHash } from 'node:crypto'
import { CertificateThumbprintContext, FilterKind, HandlerKind } from '#contracts'
import { Certificate } from '#expression'
import { type Exchange, type Filter, type Handler, respond } from '#http'
import type { Logger } from '#logging'
import { defineType, type Runtime, ref, runtime } from '#schema'
import { recordDenied } from '../../lib/audit/decisions.ts'

/** Provides the thumbprint of a client certificate. */
export const CertificateThumbprintFilter = defineType({
  name: 'CertificateThumbprintFilter',
  kind: FilterKind,
  summary: 'Adds the thumbprint of the client certificate to the contexts.',
  provides: [CertificateThumbprintContext],
  diverts: { failureHandler: [] },
  config: {
    certificate: runtime('any').meta({
      description: "The certificate, such as `${pemCertificate(urlDecode(request.headers['ssl_client_cert'][0]))}`.",
    }),
    failureHandler: ref(HandlerKind).optional().meta({
      description: 'Handles requests without a valid certificate; 403 without content by default.',
    }),
  },
  create: ({ certificate, failureHandler }, env) => {
    return certificateThumbprint(certificate, failureHandler ?? refuse, env.logger)
  },
})

const refuse: Handler = async () => respond(403)

/** Adds the thumbprint to the context; a request without a certificate goes to `otherwise`. */
function certificateThumbprint(find: Runtime<unknown>, otherwise: Handler, logger: Logger): Filter {
  return async (exchange, next) => {
    const certificate = await found(find, exchange, logger)
    if (certificate === null) {
      recordDenied(exchange, logger, 'no client certificate')
      return otherwise(exchange)
    }
    const thumbprint = createHash('sha256').update(certificate.x509.raw).digest('base64url')
    return next(exchange.with(CertificateThumbprintContext, { thumbprint }))
  }
}

/** A malformed header is logged at debug level, since clients could flood the log with it. */
async function found(find: Runtime<unknown>, exchange: Exchange, logger: Logger): Promise<Certificate | null> {
  try {
    const value = await find(exchange)
    if (value instanceof Certificate) return value
    logger.debug('the expression returned no certificate')
  } catch (error) {
    logger.debug({ error }, 'the certificate can not be read')
  }
  return null
}
