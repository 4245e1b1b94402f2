// Invalid ids of routes: in the path, in the body, for every kind of request; no file is changed by them.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathRoute, RunningGateway } from '#test/gateway'
import { type Managed, managing, ROUTES } from '#test/management'

/** An id, and its form in a path where that is not the percent-encoded id. */
interface BadId {
  readonly id: string
  readonly inPath?: string
  readonly called?: string
}

const BAD_IDS: readonly BadId[] = [
  { id: '.' },
  { id: '.', inPath: '%2e' },
  { id: '..' },
  { id: '..', inPath: '%2e%2e' },
  { id: '../x', inPath: '../x' },
  { id: '../x', inPath: '%2e%2e%2fx' },
  { id: '../x', inPath: '..%2Fx' },
  { id: '../../admin', inPath: '%2e%2e%2f%2e%2e%2fadmin' },
  { id: '..\\x' },
  { id: '%2e%2e%2fx' },
  { id: 'a/b', inPath: 'a/b' },
  { id: 'a/b', inPath: 'a%2fb' },
  { id: 'a\\b' },
  { id: '/etc/passwd' },
  { id: 'a\0' },
  { id: 'a\0.json' },
  { id: 'CON' },
  { id: 'con' },
  { id: 'nul.x' },
  { id: 'x'.repeat(300), called: '300 bytes' },
  { id: 'é'.repeat(150), called: '300 bytes of two-byte characters' },
  { id: 'x'.repeat(10_000), called: '10,000 characters' },
  { id: '.hidden' },
  { id: '.kept.json.0123456789abcdef.tmp' },
  { id: 'trailing ' },
  { id: ' leading' },
  { id: 'a\nb' },
  { id: 'default' },
  { id: 'DEFAULT' },
  { id: 'caf\u00e9', called: 'café composed' },
  { id: 'cafe\u0301', called: 'café decomposed' },
  { id: '' },
  { id: '__proto__' },
  { id: 'a:b' },
  { id: '*' },
]

const REFUSED = new Set([400, 404, 405, 414, 431])

/** Every file and folder of an instance, with its content; that of logs grows with every request. */
function everything(directory: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = join(directory, name)
    const isRead = statSync(path).isFile() && !name.startsWith('logs/')
    found[name] = isRead ? readFileSync(path, 'latin1') : 'something'
  }
  return found
}

describe('B75: invalid ids', () => {
  let gateway: RunningGateway
  let manage: ReturnType<typeof managing>
  let nearby: string[]

  before(async () => {
    gateway = await RunningGateway.start({
      admin: { mode: 'DEVELOPMENT' },
      routes: { kept: pathRoute('/kept', 'kept') },
      files: { 'x.json': 'outside', 'config/x.json': 'outside' },
    })
    manage = managing(gateway.adminUrl)
    assert.equal((await manage('PUT', `${ROUTES}/other`, { body: pathRoute('/other', 'one') })).status, 201)
    nearby = besides()
  })

  after(() => gateway[Symbol.asyncDispose]())

  /** Files beside the instance that this test may have created. */
  const besides = () =>
    readdirSync(dirname(gateway.instance.directory)).filter((name) => /^(?:x|admin)(?:\.|$)/.test(name))

  for (const { id, inPath = encodeURIComponent(id), called = JSON.stringify(id) } of BAD_IDS) {
    const path = `${ROUTES}/${inPath}`
    test(`B75: ${called} as ${inPath.slice(0, 30)} is rejected everywhere, and no file changes`, async () => {
      const route = pathRoute('/bad', 'bad')
      const found = everything(gateway.instance.directory)
      const refused = (answer: Managed, request: string) => {
        assert.ok(REFUSED.has(answer.status), `${request}: ${answer.status} ${answer.text.slice(0, 200)}`)
        assert.ok(!answer.text.includes(gateway.instance.directory), request)
      }
      refused(await manage('PUT', path, { body: route }), 'PUT')
      refused(await manage('PUT', path, { body: route, headers: { 'If-None-Match': '*' } }), 'PUT, create only')
      refused(await manage('PUT', path, { body: route, headers: { 'If-Match': '*' } }), 'PUT, update only')
      const patch = [{ operation: 'replace', field: '/handler/config/entity', value: 'bad' }]
      refused(await manage('PATCH', path, { body: patch }), 'PATCH')
      refused(await manage('DELETE', path), 'DELETE')
      refused(await manage('POST', `${path}?_action=rollback`, { body: { _rev: 'x' } }), 'rollback')
      if (id !== '') refused(await manage('GET', path), 'GET')

      const created = await manage('POST', `${ROUTES}?_action=create`, { body: { _id: id, ...route } })
      assert.equal(created.status, 400, `POST: ${created.text.slice(0, 200)}`)
      assert.match(String(created.json['message']), /./)
      const mismatched = await manage('PUT', `${ROUTES}/kept`, { body: { _id: id, ...route } })
      assert.equal(mismatched.status, 400, 'PUT of another id than that of the path')
      const { status, json } = await manage('POST', `${ROUTES}?_action=validate`, { body: { _id: id, ...route } })
      assert.ok(status === 400 || json['valid'] === false, 'validate says so, too')
      const moved = [{ operation: 'add', field: '/_id', value: id }]
      assert.equal((await manage('PATCH', `${ROUTES}/kept`, { body: moved })).status, 400, 'PATCH of the id')

      assert.deepEqual(everything(gateway.instance.directory), found)
      assert.deepEqual(besides(), nearby)
      assert.equal((await gateway.ask('/bad')).status, 404)
      assert.equal((await gateway.ask('/kept')).text, 'kept')
    })
  }

  test('B75: an id that differs from another only in case does not replace it', async () => {
    const found = everything(gateway.instance.directory)
    for (const id of ['KEPT', 'Kept', 'Other']) {
      const body = pathRoute('/bad', 'bad')
      assert.equal((await manage('PUT', `${ROUTES}/${id}`, { body })).status, 409, id)
      assert.equal((await manage('POST', ROUTES, { body: { _id: id, ...body } })).status, 409, id)
      assert.equal((await manage('GET', `${ROUTES}/${id}`)).status, 404, id)
      assert.equal((await manage('DELETE', `${ROUTES}/${id}`)).status, 404, id)
      const patch = [{ operation: 'replace', field: '/handler/config/entity', value: 'bad' }]
      assert.equal((await manage('PATCH', `${ROUTES}/${id}`, { body: patch })).status, 404, id)
      assert.equal((await manage('POST', `${ROUTES}/${id}?_action=rollback`, { body: { _rev: 'x' } })).status, 404, id)
      const { json } = await manage('POST', `${ROUTES}?_action=validate`, { body: { _id: id, ...body } })
      assert.equal(json['valid'], false, id)
    }
    assert.deepEqual(everything(gateway.instance.directory), found)
    assert.equal((await gateway.ask('/kept')).text, 'kept')
  })

  test('B75: the longest valid id is a valid file name', async () => {
    const id = `x${'.-_'.repeat(42)}y`
    assert.equal(id.length, 128)
    assert.equal((await manage('PUT', `${ROUTES}/${id}`, { body: pathRoute('/long', 'long') })).status, 201)
    assert.ok(readdirSync(join(gateway.instance.directory, 'config/routes')).includes(`${id}.json`))
    assert.equal((await manage('DELETE', `${ROUTES}/${id}`)).status, 200)
  })
})
