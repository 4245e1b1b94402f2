import { createHash } from 'node:crypto'

/**
 * HMAC key of the ID tokens that OpenAM issues to an agent: the stored form of the agent's password. The key is not in
 * its JWK set.
 */
export function agentTokenKey(password: string): Buffer {
  return Buffer.from(`{SHA-1}${createHash('sha1').update(password, 'utf8').digest('base64')}`)
}
