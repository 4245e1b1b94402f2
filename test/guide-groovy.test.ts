// The examples of the Groovy guide run as described.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { providerOf, Secret } from '#contracts'
import { Response } from '#http'
import { scriptOf } from '#test/evaluate-script'
import { exchangeFor } from '#test/exchange'
import { storeOfKeys } from '#test/token-secrets'

const guide = readFileSync(join(import.meta.dirname, '../docs/guide/groovy.md'), 'utf8')
const scripts = [...guide.matchAll(/^```groovy\n([\s\S]*?)^```/gm)].map((match) => match[1] as string)

test('the filter of the guide lets clients with the password pass', async () => {
  const source = scripts.find((text) => text.includes('.matches('))
  assert.ok(source !== undefined)
  const secrets = providerOf([
    storeOfKeys({ 'app.password': [new Secret({ secretId: 'app.password', bytes: Buffer.from('pa:ss') })] }),
  ])
  const statusFor = async (authorization: string | null): Promise<number> => {
    const exchange = exchangeFor('GET', 'http://app.example.com/')
    if (authorization !== null) exchange.request.headers.add('Authorization', authorization)
    const script = scriptOf(source, {
      language: 'groovy',
      secrets,
      args: { username: 'ada', passwordSecretId: 'app.password' },
      exchange,
      next: async () => new Response(204),
    })
    return ((await script.evaluate('response')) as Response).status
  }
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`
  assert.equal(await statusFor(basic('ada:pa:ss')), 204)
  for (const wrong of ['ada:pa:s', 'bob:pa:ss', 'ada', 'ada:', ''])
    assert.equal(await statusFor(basic(wrong)), 401, wrong)
  for (const wrong of [null, 'Basic', 'Basic x', 'Bearer pa:ss'])
    assert.equal(await statusFor(wrong), 401, String(wrong))
})
