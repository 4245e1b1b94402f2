import { createHash, createHmac, X509Certificate } from 'node:crypto'
import { Certificate } from '../certificate.ts'
import { describe } from '../coercion.ts'
import { EvaluationError } from '../errors.ts'
import { isBytes } from '../values.ts'
import { bytes, text } from './arguments.ts'
import { define, type FunctionDefinition } from './definition.ts'

/** Functions on digests and certificates. */
export const cryptoFunctions: readonly FunctionDefinition[] = [
  define('digestSha256', 'value', ([value]) => {
    const content = bytes('digestSha256()', value)
    return content === null ? null : new Uint8Array(createHash('sha256').update(content).digest())
  }),
  define('hmacSha256', 'value, key', ([value, key]) => {
    const content = bytes('hmacSha256()', value)
    const secret = bytes('hmacSha256()', key)
    if (secret === null) throw new EvaluationError('hmacSha256() expected a key, found null')
    return content === null ? null : new Uint8Array(createHmac('sha256', secret).update(content).digest())
  }),
  define('pemCertificate', 'text', ([value]) => {
    const pem = text('pemCertificate()', value)
    return pem === null ? null : certificate('pemCertificate', pem)
  }),
  define('derCertificate', 'bytes', ([value]) => {
    if (value === null) return null
    if (!isBytes(value)) throw new EvaluationError(`derCertificate() expected bytes, found ${describe(value)}`)
    return certificate('derCertificate', Buffer.from(value))
  }),
]

function certificate(name: string, content: string | Buffer): Certificate {
  try {
    return new Certificate(new X509Certificate(content))
  } catch {
    throw new EvaluationError(`${name}() expected an X.509 certificate`)
  }
}
