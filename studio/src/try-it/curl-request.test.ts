import assert from 'node:assert/strict'
import { test } from 'node:test'
import { curlRequest } from './curl-request.ts'

const read = (line: string) => {
  const request = curlRequest(line)
  return typeof request === 'string' ? request : [request.method, request.uri, request.headers, request.body]
}

test('a line is the request that curl would send', () => {
  const form = 'Content-Type: application/x-www-form-urlencoded'
  for (const [line, ...expected] of [
    ['curl http://h/a', 'GET', 'http://h/a', '', ''],
    ['curl -sSkL -XDELETE http://h/a', 'DELETE', 'http://h/a', '', ''],
    ['curl -I --http1.1 http://h/', 'HEAD', 'http://h/', '', ''],
    ['curl http://h/ -d a=1 -d b=2', 'POST', 'http://h/', form, 'a=1&b=2'],
    ['curl http://h/ -da=1 -H "content-type: x/y"', 'POST', 'http://h/', 'content-type: x/y', 'a=1'],
    [`curl --json '{"a":1}' http://h/`, 'POST', 'http://h/', 'Content-Type: application/json', '{"a":1}'],
    ['curl http://h/ --data-raw @x', 'POST', 'http://h/', form, '@x'],
    ['curl http://h/ --connect-timeout 5 -o f', 'GET', 'http://h/', '', ''],
    [`curl http://h/ --data-raw $'it\\'s\\n\\u0021'`, 'POST', 'http://h/', form, "it's\n!"],
    ['curl -u "user:€" http://h/', 'GET', 'http://h/', 'Authorization: Basic dXNlcjrigqw=', ''],
    ['curl -b a=b -A me \\\n http://h/', 'GET', 'http://h/', 'Cookie: a=b\nUser-Agent: me', ''],
  ] as const) {
    assert.deepEqual(read(line), expected, line)
  }
})

test('a line that can not be read says why', () => {
  for (const [line, reason] of [
    ['', 'Expected a line that starts with "curl".'],
    ['curl', 'The line has no URL.'],
    ["curl 'http://h/", 'A quote is not closed.'],
    ["curl $'http://h/", 'A quote is not closed.'],
    ['curl http://h/ -X', 'The option "-X" has no value.'],
    ['curl http://h/ -F a=b', 'The option "-F" is not known here; leave it out.'],
    ['curl http://h/ -d @f.json', 'The file "f.json" can not be read here: give its content in place of "@f.json".'],
  ] as const) {
    assert.equal(read(line), reason, line)
  }
})
