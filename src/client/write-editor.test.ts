import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { headEdit, trailerEdit, WriteEditor } from './write-editor.ts'

test('one write is edited, and write() of the socket is restored', () => {
  const socket = new Socket()
  const written = new WriteEditor()
  written.attach(socket)
  written.editNext((text) => text.toUpperCase())
  assert.equal(Object.hasOwn(socket, 'write'), true)
  socket.cork()
  socket.write('abc', 'latin1')
  assert.equal(Object.hasOwn(socket, 'write'), false)
  assert.equal(socket.writableLength, 3)
  written.editNext((text) => text)
  written.leave()
  assert.equal(Object.hasOwn(socket, 'write'), false)
  socket.destroy()
})

test('edits of a request head: none, asterisk-form and TE', () => {
  assert.equal(headEdit(false, false), null)
  const head =
    'OPTIONS /* HTTP/1.1\r\nhost: a\r\nconnection: keep-alive\r\nx: OPTIONS /* HTTP/1.1, connection: close\r\n\r\n'
  assert.equal(
    headEdit(true, true)!(head),
    'OPTIONS * HTTP/1.1\r\nhost: a\r\nconnection: keep-alive, TE\r\nx: OPTIONS /* HTTP/1.1, connection: close\r\n\r\n',
  )
})

test('trailers are inserted at the end of a body only', () => {
  const edit = trailerEdit(['X-A', '1'])
  assert.equal(edit('\r\n0\r\n\r\n'), '\r\n0\r\nX-A: 1\r\n\r\n')
  assert.equal(edit('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n'), emptyBody('POST'))
  assert.equal(edit('GET / HTTP/1.1\r\nhost: a\r\n\r\n'), emptyBody('GET'))
  assert.equal(edit('something else'), 'something else')
  assert.equal(trailerEdit(['bad name', '1', 'X', 'a\nb'])('\r\n0\r\n\r\n'), '\r\n0\r\n\r\n')
})

const emptyBody = (method: string) =>
  `${method} / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n0\r\nX-A: 1\r\n\r\n`
