import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import type { Response } from '#http'
import { clientWith, send, textOf } from '#test/client'
import { exchangeFor } from '#test/exchange'
import { rawUpstream } from '#test/upstream'

const REST = 'Content-Length: 2\r\n\r\nhi'

/** Writes text in these pieces, if possible each in its own packet. */
async function writePieces(socket: Socket, pieces: readonly string[]): Promise<void> {
  socket.setNoDelay(true)
  for (const piece of pieces) {
    await new Promise<void>((resolve) => socket.write(piece, 'latin1', () => resolve()))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The outcome of a response in these pieces, over a connection that stays open. */
async function answered(pieces: readonly string[]): Promise<Response & { text: string }> {
  await using upstream = await rawUpstream((socket) => void writePieces(socket, pieces))
  await using client = clientWith()
  const response = await send(client, exchangeFor('GET', upstream.url))
  return Object.assign(response, { text: await textOf(response) })
}

const MALFORMED: Record<string, string> = {
  'a status of four digits that begins as 100': 'HTTP/1.1 1000 x\r\n\r\nHTTP/1.1 200 OK\r\n',
  'a status without an end': 'HTTP/1.1 100Continue\r\n\r\nHTTP/1.1 200 OK\r\n',
  'a status of four digits': 'HTTP/1.1 2000 OK\r\n',
  'a status of two digits': 'HTTP/1.1 20 OK\r\n',
  'a status below 100': 'HTTP/1.1 099 Low\r\n',
  'two carriage returns': 'HTTP/1.1 200 OK\r\r\n',
  'two carriage returns after no reason': 'HTTP/1.1 200\r\r\n',
  'two carriage returns after 100': 'HTTP/1.1 100 Continue\r\r\n\r\nHTTP/1.1 200 OK\r\n',
  'a line feed alone': 'HTTP/1.1 200 OK\n',
  'a carriage return alone': 'HTTP/1.1 200 OK\rX-A: b\r\n',
  'HTTP/2.0': 'HTTP/2.0 200 OK\r\n',
  'HTTP/0.9': 'HTTP/0.9 200 OK\r\n',
  'HTTP/1.2': 'HTTP/1.2 200 OK\r\n',
  'another protocol': 'RTSP/1.0 200 OK\r\n',
  'two spaces before the status': 'HTTP/1.1  200 OK\r\n',
  'a tab before the status': 'HTTP/1.1\t200 OK\r\n',
  'a tab after the status': 'HTTP/1.1 200\tOK\r\n',
  'a space before the line': ' HTTP/1.1 200 OK\r\n',
  'an empty line before the line': '\r\nHTTP/1.1 200 OK\r\n',
  'lower case': 'http/1.1 200 OK\r\n',
  'a reason of 9,000 characters': `HTTP/1.1 200 ${'x'.repeat(9_000)}\r\n`,
  'a 100 whose lines end in a line feed alone': 'HTTP/1.1 100 Continue\r\nX-A: b\n\nHTTP/1.1 200 OK\r\n\r\n',
}

const INFORMATIONAL: Record<string, string> = {
  '': '',
  ', after 100 Continue': 'HTTP/1.1 100 Continue\r\n\r\n',
  ', after 103 Early Hints': 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
}

for (const [what, line] of Object.entries(MALFORMED)) {
  for (const [after, before] of Object.entries(INFORMATIONAL)) {
    test(`an ambiguous status line: 502: ${what}${after}`, async () => {
      const text = before + line + REST
      for (const pieces of [[text], [...text.slice(0, 80)].concat(text.slice(80))]) {
        await assert.rejects(answered(pieces), { name: 'UpstreamError', status: 502, code: 'GW_UPSTREAM_PROTOCOL' })
      }
    })
  }
}

test('an invalid status line is rejected before its end', async () => {
  for (const start of ['SSH-2', 'HTTP/2', 'HTTP/1.1 9a']) {
    await assert.rejects(answered([start]), { code: 'GW_UPSTREAM_PROTOCOL' }, start)
  }
})

test('a status line is parsed from pieces of any size, with the rest of the response', async () => {
  const lines = ['HTTP/1.1 200 OK\r\n', 'HTTP/1.0 404 Not Found\r\n', 'HTTP/1.1 299\r\n', 'HTTP/1.1 999 \r\n']
  for (const line of lines) {
    const text = `${line}X-A: b\r\n${REST}`
    for (let at = 1; at < line.length + 2; at++) {
      const { status, text: body } = await answered([text.slice(0, at), text.slice(at)])
      assert.deepEqual([status, body], [Number(line.slice(9, 12)), 'hi'], `${JSON.stringify(line)} split at ${at}`)
    }
  }
})

test('informational responses in pieces are skipped one by one', async () => {
  const text = `HTTP/1.1 100 Continue\r\nX-A: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 \r\n\r\nHTTP/1.1 200 OK\r\n${REST}`
  for (const pieces of [[text], [...text]]) {
    const { status, text: body } = await answered(pieces)
    assert.deepEqual([status, body], [200, 'hi'])
  }
})

test('an endless informational response: 502', async () => {
  const endless = `HTTP/1.1 103 Early Hints\r\nLink: ${'x'.repeat(70_000)}`
  await assert.rejects(answered([endless]), { code: 'GW_UPSTREAM_PROTOCOL' })
})

test('a request is not repeated after part of a status line was received', async () => {
  let requests = 0
  await using upstream = await rawUpstream((socket) => {
    if (++requests === 1) socket.write(`HTTP/1.1 200 OK\r\n${REST}`)
    else socket.end('HTTP/1.1 2')
  })
  await using client = clientWith({ connections: 1 })
  await textOf(await send(client, exchangeFor('GET', upstream.url)))
  await assert.rejects(send(client, exchangeFor('GET', upstream.url)), { code: 'GW_UPSTREAM_CLOSED' })
  assert.equal(requests, 2)
})
