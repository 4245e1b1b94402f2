// ID tokens and user info that are encrypted to a key of the gateway, and signed user info.
import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { BrowserLike } from '#test/browser-like'
import { logIn } from '../login-pages.ts'
import { client } from '../realm.ts'
import { loginRoute } from '../routes.ts'
import type { Addresses, Client, Part } from '../suite.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const jwk = { ...createPublicKey(privateKey).export({ format: 'jwk' }), kid: 'encryption', use: 'enc' }

const EMAIL = '${contexts.oauth2Info.id_token_claims.preferred_username} ${contexts.oauth2Info.user_info.email}'

/** Client attributes by the behaviour they configure. */
const RESPONSES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'an encrypted ID token': {
    'id.token.encrypted.response.alg': 'RSA-OAEP-256',
    'id.token.encrypted.response.enc': 'A256GCM',
  },
  'signed user info': { 'user.info.response.signature.alg': 'RS256' },
  'signed and encrypted user info': {
    'user.info.response.signature.alg': 'RS256',
    'user.info.encrypted.response.alg': 'RSA-OAEP',
    'user.info.encrypted.response.enc': 'A128CBC-HS256',
  },
}

const clientIdOf = (what: string): string => what.replaceAll(' ', '-').toLowerCase()

const clientOf = (at: Addresses, [what, attributes]: [string, object]): Client =>
  client(at, clientIdOf(what), {
    attributes: {
      'use.jwks.string': 'true',
      'jwks.string': JSON.stringify({ keys: [{ ...jwk, alg: algorithmIn(attributes) }] }),
      ...attributes,
    },
  })

function algorithmIn(attributes: object): string {
  return Object.entries(attributes).find(([name]) => name.endsWith('encrypted.response.alg'))?.[1] ?? 'RSA-OAEP'
}

export const encryption: Part = {
  clients: (at) => Object.entries(RESPONSES).map((entry) => clientOf(at, entry)),
  files: () => ({ 'keys/encryption': privateKey.export({ type: 'pkcs8', format: 'pem' }) as string }),
  routes: (at) =>
    Object.fromEntries(
      Object.keys(RESPONSES).map((what) => {
        const clientId = clientIdOf(what)
        const registration = {
          clientSecretId: clientId,
          decryptionSecretId: 'encryption',
          secretsProvider: { type: 'SecretsProvider', config: { stores: ['secrets', 'keys'] } },
        }
        return [clientId, loginRoute(at, clientId, { registration, entity: EMAIL })]
      }),
    ),
  flows: Object.keys(RESPONSES).map((what) => ({
    name: `login with ${what}`,
    run: async ({ at }) => {
      const page = await logIn(new BrowserLike(), `${at.app}/${clientIdOf(what)}/page`)
      assert.equal(page.text, 'alice alice@example.test')
    },
  })),
}
