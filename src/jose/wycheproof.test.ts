// Public test vectors (C2SP/wycheproof), read from a folder beside the checkout.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { providerOf, Secret, type SecretStore } from '#contracts'
import { parseSignedToken, TokenError, verifySignature } from '#jose'
import { decodeJwk } from '#secrets'

interface Vector {
  readonly tcId: number
  readonly comment: string
  readonly jws: string
  readonly result: 'valid' | 'invalid'
}

interface Group {
  readonly comment: string
  readonly private?: Record<string, unknown>
  readonly public?: Record<string, unknown>
  readonly tests: readonly Vector[]
}

const folder = join(import.meta.dirname, '../../../shared/corpora/jose')
const skip = existsSync(folder) ? false : `the vectors are not there: ${folder}`

/** Valid according to the vectors, rejected by the gateway on purpose. */
const stricter = new Map([
  [346, 'the key is for PS256, the token says PS384'],
  [347, 'the key is for "ES521", which no registry knows'],
  [350, 'the key is for PS256, the token says PS384'],
  [351, 'the key is for "ES521", which no registry knows'],
  [372, 'a character that is not base64url in the header'],
  [373, 'a character that is not base64url in the payload'],
])

/** Marked as invalid, but identical to the token of another vector that is marked as valid. */
const contradictory = new Map([
  [367, 357],
  [370, 357],
])

test('Wycheproof: signatures', { skip }, async (t) => {
  for (const group of groups('json_web_signature_test.json')) {
    await t.test(group.comment, () => judge(group, [group.public ?? group.private], stricter))
  }
})

test('Wycheproof: keys and sets of keys', { skip }, async (t) => {
  for (const group of groups('json_web_key_test.json')) {
    const { keys } = (group.public ?? group.private) as { keys: unknown[] }
    await t.test(group.comment, () => judge(group, keys, new Map()))
  }
})

function groups(file: string): readonly Group[] {
  return (JSON.parse(readFileSync(join(folder, file), 'utf8')) as { testGroups: Group[] }).testGroups
}

async function judge(group: Group, jwks: readonly unknown[], exceptions: ReadonlyMap<number, string>): Promise<void> {
  const provider = providerOf([storeOf(jwks)])
  for (const { tcId, comment, jws, result } of group.tests) {
    const twin = group.tests.find((other) => other.tcId === contradictory.get(tcId))
    if (jws === twin?.jws) continue
    const accepted = await isAccepted(jws, provider)
    const expected = result === 'valid' && !exceptions.has(tcId)
    assert.equal(accepted, expected, `vector ${tcId} (${comment})`)
  }
}

async function isAccepted(jws: string, provider: ReturnType<typeof providerOf>): Promise<boolean> {
  try {
    const token = parseSignedToken(jws)
    return (await verifySignature(token, { provider, secretId: 'keys' })).outcome === 'verified'
  } catch (error) {
    if (error instanceof TokenError) return false
    throw error
  }
}

/** Keys that can not be read are left out, as JwkSetSecretStore does. */
function storeOf(jwks: readonly unknown[]): SecretStore {
  const secrets = jwks.flatMap((jwk) => {
    try {
      return [new Secret({ ...decodeJwk(jwk, 'whole'), secretId: 'keys' })]
    } catch {
      return []
    }
  })
  return { find: async () => secrets, onChange: () => () => {} }
}
