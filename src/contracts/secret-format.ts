import { kind, type SecretParts } from '#schema'

/** A secret without its id and origin. */
export type DecodedSecret = Omit<SecretParts, 'secretId' | 'source' | 'place'>

/** Decodes the content that a store has for a secret id. */
export interface SecretFormat {
  /** Whether a certificate and its key may be in two files, whose contents are concatenated. */
  readonly acceptsPairs?: boolean
  /**
   * The secrets in the content, mostly one. Throws an Error with the expected format, never with the content;
   * `warn` is called for doubtful but usable content.
   */
  decode(content: Buffer, warn: (message: string) => void): Promise<readonly DecodedSecret[]>
}

/** PLAIN and BASE64 are predefined. */
export const SecretFormatKind = kind<SecretFormat>('SecretFormat')
