import { type ContextKey, contextKey } from '#http'

/** Thumbprint of the client certificate, by CertificateThumbprintFilter. */
export interface CertificateThumbprint {
  /** The SHA-256 of the certificate in DER, as base64url: the `x5t#S256` of RFC 8705. */
  readonly thumbprint: string
}

/** The context `certificateThumbprint`. */
export const CertificateThumbprintContext: ContextKey<CertificateThumbprint> =
  contextKey<CertificateThumbprint>('certificateThumbprint')
