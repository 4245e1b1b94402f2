import { Secret, SecretError, type SecretFormat } from '#contracts'
import type { Logger } from '#logging'
import { EVENTS } from './log-events.ts'

/** Where some content comes from. */
interface ContentPlace {
  readonly secretId: string
  /** The store, by its qualified name. */
  readonly source: string
  /** What holds the content, such as `the file "/secrets/x"`. */
  readonly where: string
  /** The name of a secret whose format gives it none. */
  readonly stableId?: string | null
  readonly logger: Logger
}

/** Makes secrets of content; errors name the store, the id and the location. */
export async function formattedSecrets(format: SecretFormat, content: Buffer, place: ContentPlace): Promise<Secret[]> {
  const { secretId, source, where, logger } = place
  try {
    const decoded = await format.decode(content, (message) =>
      logger.warn({ secretId }, EVENTS.FORMAT_WARNING.withMessage(`${where}: ${message}`)),
    )
    return decoded.map((parts) => {
      return new Secret({ ...parts, secretId, source, stableId: parts.stableId ?? place.stableId ?? null })
    })
  } catch (error) {
    const message = `${source}: the secret id "${secretId}" in ${where}: ${(error as Error).message}`
    throw new SecretError(message, { cause: error })
  }
}
