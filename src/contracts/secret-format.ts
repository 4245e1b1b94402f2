import { kind, type SecretParts } from '#schema'

/** What a format makes of the content of a secret: everything but where it stands. */
export type DecodedSecret = Omit<SecretParts, 'secretId' | 'source'>

/** Makes secrets of the bytes that a store holds under an id. */
export interface SecretFormat {
  /**
   * The secrets in some content, mostly one. Throws an Error that says what was expected and never shows what is there;
   * `warn` takes what is doubtful but usable.
   */
  decode(content: Buffer, warn: (message: string) => void): Promise<readonly DecodedSecret[]>
}

/** The kind of secret formats; PLAIN and BASE64 are there without being declared. */
export const SecretFormatKind = kind<SecretFormat>('SecretFormat')
