import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { JsonObject } from '#json'
import { pathRoute, RunningGateway } from '#test/gateway'
import { type Managed, managing, ROUTES } from '#test/management'

const TEXT = (path: string, entity: string, comment = 'why') => `\uFEFF// ${comment} \u00e9\u{1F600}\r
{
  /* the path */ "condition": "\${request.uri.path == '${path}'}",
  "handler": { "type": "StaticResponseHandler", "config": { "status": 200, "entity": "${entity}" } }   // end
`

describe('the text of a route', () => {
  let gateway: RunningGateway
  let ask: ReturnType<typeof managing>

  before(async () => {
    gateway = await RunningGateway.start({ units: 2, env: { GATEWAY_RUN_MODE: 'DEVELOPMENT' } })
    ask = managing(gateway.adminUrl)
  })

  after(() => gateway[Symbol.asyncDispose]())

  const fileOf = (id: string) => join(gateway.instance.directory, `config/routes/${id}.json`)
  const textOf = (id: string) => ask('GET', `${ROUTES}/${id}?_fields=_source`)
  const put = (id: string, source: unknown, headers: Record<string, string> = {}, more: JsonObject = {}) =>
    ask('PUT', `${ROUTES}/${id}`, { headers, body: { _source: source, ...more } })
  const problemsOf = ({ json }: Managed) => (json['detail'] as JsonObject)['problems'] as JsonObject[]

  test('is stored and read byte for byte, with comments, byte order mark and line ends', async () => {
    const text = `${TEXT('/exact', 'one')}\r\n}`
    assert.equal((await put('exact', text, { 'If-None-Match': '*' })).status, 201)
    assert.equal((await gateway.ask('/exact')).text, 'one')
    assert.deepEqual(readFileSync(fileOf('exact')), Buffer.from(text))
    const { json, status } = await textOf('exact')
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(json).sort(), ['_id', '_rev', '_source', '_sourceRev'])
    assert.equal(json['_source'], text)
    assert.equal((await put('exact', text, { 'If-Match': `"${json['_sourceRev']}"` })).status, 200)
    assert.deepEqual(readFileSync(fileOf('exact')), Buffer.from(text))
    const plain = await ask('GET', `${ROUTES}/exact`)
    assert.equal(Object.hasOwn(plain.json, '_source'), false)
    const listed = await ask('GET', `${ROUTES}?_queryFilter=_source+co+"the+path"&_fields=_source`)
    assert.deepEqual(
      (listed.json['results'] as JsonObject[]).map((one) => [one['_id'], one['_source'], one['_sourceRev']]),
      [['exact', text, json['_sourceRev']]],
    )
  })

  test('a file as it was written by hand is returned as it is, also where it is not JSON', async () => {
    await gateway.deploy('by-hand', '{ "handler": // unfinished')
    const { json } = await textOf('by-hand')
    assert.equal(json['_source'], '{ "handler": // unfinished')
    const fixed = await put('by-hand', `${TEXT('/by-hand', 'x')}}`, { 'If-Match': `"${json['_sourceRev']}"` })
    assert.equal(fixed.status, 200)
    assert.equal((await gateway.ask('/by-hand')).text, 'x')
  })

  test('a change of comments is a conflict for an editor, and no reload', async () => {
    const first = `${TEXT('/comments', 'one')}}`
    await put('comments', first)
    const { json: read } = await textOf('comments')
    const deploys = () => gateway.metric('gw_route_deployments_total', { result: 'success' })
    const before = await deploys()
    const second = first.replace('why', 'because')
    const changed = await put('comments', second, { 'If-Match': `"${read['_sourceRev']}"` })
    assert.deepEqual([changed.status, changed.json['_rev']], [200, read['_rev']])
    assert.equal(readFileSync(fileOf('comments'), 'utf8'), second)
    assert.equal(await deploys(), before, 'nothing was deployed')
    assert.equal((await put('comments', first, { 'If-Match': `"${read['_sourceRev']}"` })).status, 412)
    const { json: now } = await textOf('comments')
    assert.equal(now['_rev'], read['_rev'])
    assert.notEqual(now['_sourceRev'], read['_sourceRev'])
    const cached = { headers: { 'If-None-Match': `"${read['_rev']}", "${read['_sourceRev']}"` } }
    assert.equal((await ask('GET', `${ROUTES}/comments?_fields=_source`, cached)).status, 200)
    assert.equal((await ask('GET', `${ROUTES}/comments`, cached)).status, 304)
    const same = { headers: { 'If-None-Match': `"${now['_sourceRev']}"` } }
    assert.equal((await ask('GET', `${ROUTES}/comments?_fields=_source`, same)).status, 304)
    assert.equal((await put('comments', first, { 'If-Match': `"${read['_rev']}"` })).status, 200)
  })

  test('a change by hand between read and write is a conflict', async () => {
    await put('hand', `${TEXT('/hand', 'one')}}`)
    const { json } = await textOf('hand')
    writeFileSync(fileOf('hand'), `${TEXT('/hand', 'one', 'by hand')}}`)
    assert.equal((await put('hand', `${TEXT('/hand', 'two')}}`, { 'If-Match': `"${json['_sourceRev']}"` })).status, 412)
    assert.match(String((await textOf('hand')).json['_source']), /by hand/)
  })

  test('history has every text, rollback restores comments, and the audit names the change', async () => {
    const texts = ['first', 'second'].map((comment) => `${TEXT('/past', 'one', comment)}}`)
    const last = `${TEXT('/past', 'two')}}`
    for (const text of [...texts, last]) assert.ok((await put('past', text)).status < 300)
    const list = await ask('POST', `${ROUTES}/past?_action=history`, { body: {} })
    const versions = list.json['versions'] as JsonObject[]
    assert.equal(versions.length, 2)
    for (const [at, text] of [...texts].reverse().entries()) {
      const body = { _sourceRev: versions[at]?.['_sourceRev'] }
      assert.equal((await ask('POST', `${ROUTES}/past?_action=history`, { body })).json['_source'], text)
    }
    const newest = { _rev: versions[0]?.['_rev'] }
    assert.equal((await ask('POST', `${ROUTES}/past?_action=rollback`, { body: newest })).status, 200)
    assert.equal(readFileSync(fileOf('past'), 'utf8'), texts[1])
    const oldest = { _sourceRev: versions[1]?.['_sourceRev'] }
    assert.equal((await ask('POST', `${ROUTES}/past?_action=rollback`, { body: oldest })).status, 200)
    assert.equal(readFileSync(fileOf('past'), 'utf8'), texts[0])
    assert.equal((await gateway.ask('/past')).text, 'one')
    const filter = encodeURIComponent('objectId eq "system/objects/_router/routes/past"')
    const events = (await ask('GET', `/api/audit/config?_queryFilter=${filter}`)).json['results'] as JsonObject[]
    assert.deepEqual(
      events.map(({ operation, changedFields }) => `${operation} ${(changedFields as string[] | undefined) ?? ''}`),
      [
        'CREATE /condition,/handler',
        'UPDATE ',
        'UPDATE /handler/config/entity',
        'ACTION /handler/config/entity',
        'ACTION ',
      ],
    )
  })

  test('comments of a file changed by hand are those of its version in the history', async () => {
    await put('kept', `${TEXT('/kept', 'one', 'old')}}`)
    const commented = `${TEXT('/kept', 'one', 'new')}}`
    await gateway.deploy('kept', commented)
    await put('kept', `${TEXT('/kept', 'two')}}`)
    const { json } = await ask('POST', `${ROUTES}/kept?_action=history`, { body: {} })
    const [version] = json['versions'] as JsonObject[]
    const { json: one } = await ask('POST', `${ROUTES}/kept?_action=history`, { body: { _rev: version?.['_rev'] } })
    assert.equal(one['_source'], commented)
  })

  test('a bad text is 400 with line and column, and nothing changes', async () => {
    const good = `${TEXT('/bad', 'one')}}`
    await put('bad', good)
    const rows: readonly [unknown, JsonObject, string, number, number, RegExp][] = [
      ['{\n  "handler": }', {}, '', 2, 14, /not valid JSON/],
      ['[]', {}, '', 1, 1, /expected a JSON object/],
      ['', {}, '', 1, 1, /not valid JSON/],
      [7, {}, '', 1, 1, /expected the text/],
      ['{}\ud800', {}, '', 1, 1, /surrogate/],
      ['{\n\n "handler": "Missing" }', {}, '/handler', 3, 2, /Missing/],
      ['{ "handler": {\n"type": "Nothing" } }', {}, '/handler/type', 2, 1, /Nothing/],
      ['{\n "_id": "other", "handler": "ForwardHandler" }', {}, '/_id', 2, 2, /expected "bad"/],
      [`{ "handler": "ForwardHandler", "properties": { "list": [${'1,'.repeat(10_000)}1] } }`, {}, '', 1, 1, /10000/],
    ]
    for (const [source, more, pointer, line, column, message] of rows) {
      const refused = await put('bad', source, {}, more)
      assert.equal(refused.status, 400, String(source).slice(0, 60))
      const [problem] = problemsOf(refused)
      assert.deepEqual([problem?.['pointer'], problem?.['line'], problem?.['column']], [pointer, line, column])
      assert.match(String(problem?.['message']), message)
    }
    const both = await put('bad', good, {}, { name: 'both' })
    assert.deepEqual([both.status, problemsOf(both)[0]?.['pointer']], [400, '/name'])
    assert.equal((await put('bad', 'x'.repeat(1_100_000))).status, 413)
    assert.equal(readFileSync(fileOf('bad'), 'utf8'), good)
    assert.equal((await gateway.ask('/bad')).text, 'one')
  })

  test('what a read returned can be sent back', async () => {
    await put('echo', `${TEXT('/echo', 'one')}}`)
    const { json } = await ask('GET', `${ROUTES}/echo?_fields=_source,_status`)
    assert.equal((await ask('PUT', `${ROUTES}/echo`, { body: json })).status, 200)
    const fields = await ask('GET', `${ROUTES}/echo?_fields=*,_sourceRev`)
    assert.equal((await ask('PUT', `${ROUTES}/echo`, { body: fields.json })).status, 200)
    assert.doesNotMatch(readFileSync(fileOf('echo'), 'utf8'), /_sourceRev/)
  })

  test('validate takes a text, and POST the id in it', async () => {
    const bad = await ask('POST', `${ROUTES}?_action=validate`, { body: { _source: '{\n "handler": "No" }' } })
    assert.deepEqual([bad.json['valid'], (bad.json['problems'] as JsonObject[])[0]?.['line']], [false, 2])
    const source = `{ "_id": "posted", /* c */ ${JSON.stringify(pathRoute('/posted', 'p')).slice(1)}`
    const good = await ask('POST', `${ROUTES}?_action=validate`, { body: { _source: source } })
    assert.deepEqual(good.json, { valid: true, problems: [] })
    const posted = await ask('POST', `${ROUTES}?_action=create`, { body: { _source: source } })
    assert.deepEqual([posted.status, posted.json['_id']], [201, 'posted'])
    assert.equal(readFileSync(fileOf('posted'), 'utf8'), source)
  })
})
