import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { Body, type BodySink } from '#http'
import { clientWith, send } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { FRAME, frame } from '#test/h2-frames'
import { silentUpstream } from '#test/upstream'
import { waitUntil, within } from '#test/waiting'

const KNOWN = { overTls: true, inClear: 'prior-knowledge' } as const
const SO_TIMEOUT = 100
const MAX_WINDOW = 2 ** 31 - 1

/** SETTINGS_INITIAL_WINDOW_SIZE and WINDOW_UPDATE: only the socket limits what is sent. */
function openWindows(): Buffer {
  const setting = Buffer.alloc(6)
  setting.writeUInt16BE(4, 0)
  setting.writeUInt32BE(MAX_WINDOW, 2)
  const increment = Buffer.alloc(4)
  increment.writeUInt32BE(MAX_WINDOW - 65_535)
  return Buffer.concat([frame(FRAME.settings, 0, 0, setting), frame(FRAME.windowUpdate, 0, 0, increment)])
}

/** A body without end; `onBlocked` is called when it is paused. */
function endlessBody(onBlocked: () => void): Body {
  const chunk = Buffer.alloc(262_144)
  let sink: BodySink | null = null
  const pour = () => {
    while (sink?.write(chunk)) {}
    onBlocked()
  }
  return Body.fromSource({
    start: (target) => {
      sink = target
      setImmediate(pour)
    },
    resume: pour,
    cancel: () => {
      sink = null
    },
  })
}

test('a server that stops reading an upload: 504, and its connection is closed', async () => {
  await using upstream = await silentUpstream((socket) => {
    socket.pause()
    socket.write(openWindows())
  })
  await using client = clientWith({ http2: KNOWN, connections: 1, soTimeout: SO_TIMEOUT, connectionTimeout: 10_000 })
  // The second request gets the permit of the first connection.
  for (const accepted of [1, 2]) {
    const body = endlessBody(() => {})
    const answer = send(client, exchangeFor('POST', upstream.url, { body }))
    await assert.rejects(within('the call failed', answer), { code: 'GW_UPSTREAM_TIMEOUT' })
    assert.equal(upstream.accepted, accepted)
  }
  await waitUntil('the connections were closed', () => client.stats[0]?.connected === 0)
})

test('no request is sent over a connection that ended with an invalid frame, while an upload to it is blocked', async () => {
  let first: Socket | null = null
  await using upstream = await silentUpstream((socket) => {
    if (first !== null) {
      socket.destroy()
      return
    }
    first = socket
    socket.pause()
    socket.write(openWindows())
  })
  await using client = clientWith({ http2: KNOWN, connections: 2 })
  const blocked = Promise.withResolvers<void>()
  const upload = send(client, exchangeFor('POST', upstream.url, { body: endlessBody(blocked.resolve) }))
  upload.catch(() => {})
  await within('the upload was blocked', blocked.promise)
  // DATA of stream 0.
  first!.write(frame(FRAME.data, 0, 0, Buffer.from('x')))
  await assert.rejects(within('the upload failed', upload), { status: 502 })
  await assert.rejects(send(client, exchangeFor('GET', upstream.url)), { code: 'GW_UPSTREAM_CLOSED' })
  assert.equal(upstream.accepted, 2)
  await waitUntil('the connections were closed', () => client.stats[0]?.connected === 0)
})
