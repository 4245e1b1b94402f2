import { Secret, SecretError, type SecretFormat } from '#contracts'
import type { Logger } from '#logging'
import { EVENTS } from './log-events.ts'

/** Location of content, for messages. */
interface ContentPlace {
  readonly secretId: string
  /** Qualified name of the store. */
  readonly source: string
  /** Location within the store, such as `the file "/secrets/x"`. */
  readonly where: string
  /** The stable id of secrets whose format has none. */
  readonly stableId?: string | null
  readonly logger: Logger
}

/** Decodes content; errors name the store, the id and the location. */
export async function formattedSecrets(format: SecretFormat, content: Buffer, place: ContentPlace): Promise<Secret[]> {
  const { secretId, source, where, logger } = place
  try {
    const decoded = await format.decode(content, (message) =>
      logger.warn({ secretId }, EVENTS.FORMAT_WARNING.withMessage(`${where}: ${message}`)),
    )
    return decoded.map((parts) => {
      const stableId = parts.stableId ?? place.stableId ?? null
      return new Secret({ ...parts, secretId, source, place: where, stableId })
    })
  } catch (error) {
    const message = `${source}: the secret id "${secretId}" in ${where}: ${(error as Error).message}`
    throw new SecretError(message, { cause: error })
  }
}
