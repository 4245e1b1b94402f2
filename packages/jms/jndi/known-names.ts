import { getCiphers } from 'node:tls'

/** What is known of names in properties. Each part has a default. */
export interface KnownNames {
  /** A suggestion for an unknown name, such as `; did you mean "failover"?`; empty without one. */
  didYouMean(name: string, known: readonly string[]): string
  /** The OpenSSL name of a cipher suite, or why it is unknown. */
  cipherSuite(name: string): { readonly suite: string } | { readonly problem: string }
  /** Why a version of TLS can not be used; null for `TLSv1.2` and `TLSv1.3`. */
  protocolProblem(name: string): string | null
}

/** OpenSSL names of suites, and no suggestions. */
export const PLAIN_NAMES: KnownNames = {
  didYouMean: () => '',
  cipherSuite: (name) =>
    getCiphers().includes(name.toLowerCase())
      ? { suite: name.toUpperCase() }
      : { problem: `expected the OpenSSL name of a cipher suite, got ${JSON.stringify(name)}` },
  protocolProblem: (name) =>
    /^TLSv1\.[23]$/.test(name) ? null : `expected TLSv1.2 or TLSv1.3, got ${JSON.stringify(name)}`,
}
