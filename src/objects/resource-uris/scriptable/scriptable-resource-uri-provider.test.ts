import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResourceUriProvider } from '#contracts'
import type { JsonValue } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { StaticResponseHandler } from '../../handlers/static-response/static-response-handler.ts'
import { ScriptableResourceUriProvider } from './scriptable-resource-uri-provider.ts'

const heap = [{ name: 'ClientHandler', type: 'StaticResponseHandler', config: { status: 202 } }]
const URL_OF_REQUEST = 'http://app.example/page?tab=1&page=2&session=x'

async function resourceOf(source: string, fields: Record<string, JsonValue> = {}): Promise<string> {
  const config = { type: 'application/javascript', source: [source], ...fields }
  await using provider = await build<ResourceUriProvider>(ScriptableResourceUriProvider, config, {
    types: [StaticResponseHandler],
    heap,
  })
  return provider.object.resourceUri(exchangeFor('GET', URL_OF_REQUEST))
}

test('the string that a script returns is the resource', async () => {
  assert.equal(await resourceOf("return 'http://app.example/page'"), 'http://app.example/page')
  assert.equal(await resourceOf('return String(request.uri)'), URL_OF_REQUEST)
})

test('selected query parameters are part of the resource, in the order of the script', async () => {
  const source = `
    const [path] = String(request.uri).split('?')
    const kept = names.map((name) => name + '=' + request.queryParams[name][0])
    return path + '?' + kept.join('&')`
  assert.equal(await resourceOf(source, { args: { names: ['page', 'tab'] } }), 'http://app.example/page?page=2&tab=1')
})

test('a script may be asynchronous', async () => {
  const source = "const { status } = await http.send(new Request({ uri: 'http://x/' })); return 'about:' + status.code"
  assert.equal(await resourceOf(source), 'about:202')
})

test('any other result of the script is a fault', async () => {
  for (const [source, message] of [
    ['return null', /expected the script to return a resource URL, got null/],
    ['const x = 1', /expected the script to return .*, got null/],
    ['return 1', /expected the script to return .*, got number/],
    ["return ['a']", /expected the script to return .*, got object/],
    ["return ''", /expected the script to return a resource URL, got an empty string/],
    ['throw new Error("no")', /source of object:1:7: no/],
  ] as const)
    await assert.rejects(resourceOf(source), message)
})

test('refused: no script, two scripts, an unknown language', async () => {
  for (const [config, message] of [
    [{ type: 'application/javascript' }, /file.*source/],
    [{ type: 'application/javascript', source: 'return 1', file: 'x.js' }, /file.*source/],
    [{ type: 'text/x-perl', source: 'return 1' }, /expected one of/],
    [{ type: 'application/javascript', source: 'return (' }, /can not be compiled/],
  ] as const)
    await assert.rejects(
      build(ScriptableResourceUriProvider, config, { types: [StaticResponseHandler], heap }),
      (error: Error & { problems?: object[] }) => {
        assert.match(JSON.stringify(error.problems), message)
        return true
      },
    )
})
