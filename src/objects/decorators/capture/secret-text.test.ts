import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskContent, maskText } from './secret-text.ts'

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.c2lnbmF0dXJl'

const texts: readonly [string, string][] = [
  ['http://a/b?x=1&access_token=abc&y=2', 'http://a/b?x=1&access_token=[redacted]&y=2'],
  ['http://a/b?ACCESS%5Ftoken=abc', 'http://a/b?ACCESS%5Ftoken=[redacted]'],
  ['http://a/cb#id_token=abc&code=def&state=s', 'http://a/cb#id_token=[redacted]&code=[redacted]&state=s'],
  ['http://a/b;jsessionid=abc?x=1', 'http://a/b;jsessionid=[redacted]?x=1'],
  ['http://a/b?x=1;token=abc;y=2', 'http://a/b?x=1;token=[redacted];y=2'],
  ['http://user:pass@a/b', 'http://[redacted]@a/b'],
  ['http://a/b?access_token=&x', 'http://a/b?access_token=&x'],
  ['<http://a/b?token=abc>; rel="next"', '<http://a/b?token=[redacted]>; rel="next"'],
  [`value ${JWT} end`, 'value [redacted] end'],
  ['Bearer 0123456789abcdef', 'Bearer [redacted]'],
  ['text/html; charset=utf-8', 'text/html; charset=utf-8'],
  ['http://a/b?%E0%A4%A=1&password=p', 'http://a/b?%E0%A4%A=1&password=[redacted]'],
]

for (const [text, expected] of texts) {
  test(`masks ${text} as ${expected}`, () => {
    assert.equal(maskText(text), expected)
  })
}

const FORM = 'application/x-www-form-urlencoded'
const contents: readonly [string, string, string][] = [
  [FORM, 'user=anna&password=a;b"c#d&x=1', 'user=anna&password=[redacted]&x=1'],
  [
    FORM,
    'client%5Fsecret=s&code=c&grant_type=authorization_code',
    'client%5Fsecret=[redacted]&code=[redacted]&grant_type=authorization_code',
  ],
  [FORM, 'IDToken1=anna&IDToken2=secret', 'IDToken1=[redacted]&IDToken2=[redacted]'],
  [
    'application/json',
    '{"user": "anna", "password" : "a\\"b", "n": 1}',
    '{"user": "anna", "password" : "[redacted]", "n": 1}',
  ],
  ['application/json', '{"pass\\u0077ord":"p"}', '{"pass\\u0077ord":"[redacted]"}'],
  [
    'application/json',
    '{"tokens":{"access_token":{"a":["}"]},"x":1}}',
    '{"tokens":{"access_token":"[redacted]","x":1}}',
  ],
  [
    'application/json',
    '{"token":["a","b"],"pin":1234,"secret":null}',
    '{"token":"[redacted]","pin":"[redacted]","secret":null}',
  ],
  [
    'application/json',
    '{"code":404,"message":"no \\"password\\": here"}',
    '{"code":404,"message":"no \\"password\\": here"}',
  ],
  ['application/json', '{"x":1,"access_token":"cut sho', '{"x":1,"access_token":"[redacted]"'],
  ['application/json', '{"x":1,"access_token":', '{"x":1,"access_token":"[redacted]"'],
  ['application/json', '{"location":"http://a/?token=abc&x=1"}', '{"location":"http://a/?token=[redacted]&x=1"}'],
  ['application/vnd.api+json', `{"x":"${JWT}"}`, '{"x":"[redacted]"}'],
  [
    'text/xml',
    '<a:password type="text">p</a:password><x>y</x>',
    '<a:password type="text">[redacted]</a:password><x>y</x>',
  ],
  ['application/soap+xml', '<user password="p" name="anna"/>', '<user password="[redacted]" name="anna"/>'],
  [
    'text/html',
    '<input value=\'abc\' name=\'SAMLResponse\'><input name="code" value="c">',
    '<input value="[redacted]" name=\'SAMLResponse\'><input name="code" value="[redacted]">',
  ],
  ['text/plain', 'a=b password', 'a=b password'],
]

for (const [type, text, expected] of contents) {
  test(`masks the secrets of ${type} ${text.slice(0, 60)}`, () => {
    assert.equal(maskContent(text, type), expected)
  })
}

test('masking takes linear time', () => {
  const hostile = [
    '\\"',
    '"a',
    '{"',
    '{"token":',
    '<',
    '<a ',
    '<a b="',
    'a',
    'a=',
    '?a',
    '&=',
    'eyJ',
    '//',
    '//a',
    ';a',
    'bearer ',
    '"token":{',
    ' ',
    "name='",
  ]
  for (const piece of hostile) {
    const text = piece.repeat(Math.ceil(524_288 / piece.length))
    for (const type of [FORM, 'application/json', 'text/html']) {
      const start = performance.now()
      maskContent(`<a ${text}`, type)
      maskContent(text, type)
      assert.ok(performance.now() - start < 2_000, `${JSON.stringify(piece)} as ${type}`)
    }
  }
})
