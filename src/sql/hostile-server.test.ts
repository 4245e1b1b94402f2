import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { type DataSource, DataSourceKind, providerOf, type SqlError } from '#contracts'
import { defineType } from '#schema'
import { build } from '#test/build'
import { once, waitUntil } from '#test/waiting'
import type { SqlDialect } from './jdbc-url.ts'
import { openDataSource } from './open-data-source.ts'

const CONNECT_TIMEOUT = 200

/** A data source of a server that behaves as given for each connection. */
async function sourceOf(dialect: SqlDialect, serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    serve(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const TestSource = defineType({
    name: 'TestSource',
    kind: DataSourceKind,
    summary: 'A data source of a test.',
    config: {},
    create: (_, env) =>
      openDataSource(
        {
          address: { dialect, host: '127.0.0.1', port, database: 'users', username: null, isSecure: null, unused: [] },
          ...{ username: 'gateway', passwordSecretId: null, secretsProvider: providerOf([]), tls: null, name: 'test' },
          ...{ maxConnections: 2, connectTimeout: CONNECT_TIMEOUT, queryTimeout: CONNECT_TIMEOUT },
        },
        env,
      ),
  })
  const built = await build<DataSource>(TestSource, {})
  return {
    built,
    source: built.object,
    async [Symbol.asyncDispose]() {
      await built[Symbol.asyncDispose]()
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const reasonOf = (source: DataSource): Promise<string> =>
  source
    .prepare('SELECT 1')
    .firstRow([])
    .then(
      () => 'none',
      ({ reason }: SqlError) => reason,
    )

const HOSTILE: readonly (readonly [string, (socket: Socket) => void])[] = [
  ['is silent', () => {}],
  ['closes at once', (socket) => socket.end()],
  ['resets at once', (socket) => socket.resetAndDestroy()],
  ['sends zeros', (socket) => socket.write(Buffer.alloc(4096))],
  ['sends ones', (socket) => socket.write(Buffer.alloc(4096, 0xff))],
  ['sends text of another protocol', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['announces a message of 2 GB', (socket) => socket.write(Buffer.from([0x52, 0x7f, 0xff, 0xff, 0xff, 0, 0]))],
  [
    'sends without end',
    (socket) => {
      const more = (): void => {
        while (socket.writable && socket.write(Buffer.alloc(65_536, 0x4e))) {}
      }
      socket.on('drain', more)
      more()
    },
  ],
]

for (const dialect of ['postgresql', 'mysql'] as const) {
  for (const [behaviour, serve] of HOSTILE) {
    test(`${dialect}: a server that ${behaviour} is unavailable, within the timeout`, async () => {
      await using opened = await sourceOf(dialect, serve)
      const start = performance.now()
      const reasons = await Promise.all([reasonOf(opened.source), reasonOf(opened.source), reasonOf(opened.source)])
      assert.deepEqual(reasons, ['unavailable', 'unavailable', 'unavailable'])
      assert.equal(await reasonOf(opened.source), 'unavailable')
      assert.ok(performance.now() - start < 20 * CONNECT_TIMEOUT)
      await waitUntil('the object reported its state', () => opened.built.states.length > 0)
      assert.deepEqual(opened.built.states, ['degraded: the database is unavailable'])
    })
  }
}

/** A PostgreSQL that accepts any user, and responds to statements with given bytes. */
function answering(bytes: Buffer): (socket: Socket) => void {
  return (socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]))
      socket.on('data', () => socket.write(bytes))
    })
  }
}

function message(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(content.length + 4)
  return Buffer.concat([Buffer.from(type), length, content])
}

for (const [what, bytes] of [
  ['a row without a description', message('D', Buffer.from([0, 1, 0, 0, 0, 1, 0x31]))],
  ['a row shorter than its columns', message('D', Buffer.from([0x7f, 0xff, 0, 0]))],
  ['a description shorter than its columns', message('T', Buffer.from([0x7f, 0xff]))],
  ['an unknown message', message('?', Buffer.from([1, 2, 3]))],
  ['a prompt for a file', message('G', Buffer.from([0, 0, 0]))],
  ['nothing', Buffer.alloc(0)],
] as const) {
  test(`${what} in place of a result fails the statement and nothing else`, async () => {
    await using opened = await sourceOf('postgresql', answering(bytes))
    assert.match(await reasonOf(opened.source), /^(?:unavailable|timeout|failed)$/)
    assert.match(await reasonOf(opened.source), /^(?:unavailable|timeout|failed)$/)
  })
}
