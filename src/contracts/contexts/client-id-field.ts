import { type ContextKey, contextKey } from '#http'

/** On a token or revocation request: its form has a `client_id` that counts only where nothing else names the client. */
export interface ClientIdField {
  readonly clientId: string
}

/**
 * The context `clientIdField`. What authenticates the client by a header takes the field out: OpenAM refuses both as two
 * methods in one request (RFC 6749 section 2.3). In a pushed authorization request the field is a parameter and stays.
 */
export const ClientIdFieldContext: ContextKey<ClientIdField> = contextKey<ClientIdField>('clientIdField')
