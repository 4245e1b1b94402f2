import { kind, type SecretParts } from '#schema'

/** What a format makes of the content of a secret: everything but where it stands. */
export type DecodedSecret = Omit<SecretParts, 'secretId' | 'source'>

/** Makes secrets of the bytes that a store holds under an id. */
export interface SecretFormat {
  /**
   * The secrets in some content, mostly one. Throws an Error with the expected format, never with the content;
   * `warn` is called for doubtful but usable content.
   */
  decode(content: Buffer, warn: (message: string) => void): Promise<readonly DecodedSecret[]>
}

/** The kind of secret formats; PLAIN and BASE64 are there without being declared. */
export const SecretFormatKind = kind<SecretFormat>('SecretFormat')
