/** A client's side of a SASL mechanism, as the AMQP library calls it. */
interface Mechanism {
  start(answer: (error: undefined, response: Buffer) => void): void
  step(challenge: unknown, answer: (error: undefined, response: Buffer) => void): void
}

interface Credentials {
  readonly userName: string | null
  readonly password: string | null
  /** Whether TLS has a client certificate. */
  readonly hasCertificate: boolean
  /** Names that may be used; null for all. */
  readonly allowed: readonly string[] | null
}

/** Mechanisms for the credentials: with a user PLAIN, without one ANONYMOUS; EXTERNAL with a client certificate. */
export function saslMechanisms({
  userName,
  password,
  hasCertificate,
  allowed,
}: Credentials): Record<string, Mechanism> {
  const mechanisms: Record<string, Mechanism> = {}
  const add = (name: string, response: string): void => {
    if (allowed === null || allowed.includes(name)) mechanisms[name] = answering(Buffer.from(response))
  }
  if (hasCertificate && (userName === null || allowed?.includes('EXTERNAL') === true)) add('EXTERNAL', '')
  // RFC 4616, in UTF-8; that of the library counts characters instead of bytes.
  if (userName !== null) add('PLAIN', `\0${userName}\0${password ?? ''}`)
  else add('ANONYMOUS', 'identity-gateway')
  return mechanisms
}

function answering(response: Buffer): Mechanism {
  return {
    start: (answer) => answer(undefined, response),
    step: (_challenge, answer) => answer(undefined, Buffer.alloc(0)),
  }
}
