[Base64.encoder.encodeToString('hello w\u00f6rld'.getBytes('UTF-8')), new String(Base64.decoder.decode('aGVsbG8='), 'UTF-8'), Base64.getUrlEncoder().withoutPadding().encodeToString([250, 251, 252, 253] as byte[]), Base64.urlDecoder.decode('-vv8_Q').toList()]
----
Base64.getDecoder().decode('a!b=')
----
Base64.getDecoder().decode('abc=d')
----
Base64.getDecoder().decode('a')
----
Base64.mimeEncoder.encodeToString(new byte[60])
----
['abc'.bytes.encodeBase64().toString(), new String('YWJj'.decodeBase64()), 'abc'.bytes.encodeHex().toString(), '616263'.decodeHex().toList(), [-1, 0, 1] as byte[], ([-1, -2] as byte[]).encodeBase64Url().toString()]
----
'abc'.md5() + ' ' + 'abc'.sha256() + ' ' + 'abc'.digest('SHA-1') + ' ' + 'abc'.bytes.md5()
----
import java.security.MessageDigest
MessageDigest.getInstance('SHA-256').digest('abc'.bytes).encodeHex().toString()
----
def d = java.security.MessageDigest.getInstance('MD5'); d.update('a'.bytes); d.update('bc'.bytes); [d.digest().encodeHex().toString(), d.digest().encodeHex().toString(), d.algorithm]
----
java.security.MessageDigest.getInstance('NOPE')
----
java.security.MessageDigest.isEqual('a'.bytes, 'a'.bytes)
----
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec
def m = Mac.getInstance('HmacSHA256'); m.init(new SecretKeySpec('key'.getBytes('UTF-8'), 'HmacSHA256')); [m.doFinal('data'.bytes).encodeHex().toString(), m.algorithm, m.macLength]
----
javax.crypto.Mac.getInstance('HmacSHA1').doFinal('x'.bytes)
----
new javax.crypto.spec.SecretKeySpec(new byte[0], 'HmacSHA256')
----
def u = UUID.randomUUID(); [u.toString().length(), u.version(), u == UUID.fromString(u.toString()), UUID.fromString('00000000-0000-0001-0000-000000000002'), UUID.nameUUIDFromBytes('abc'.bytes)]
----
UUID.fromString('x')
----
def b = new byte[8]; new java.security.SecureRandom().nextBytes(b); [b.length, new Random().nextInt(10) in 0..9, new java.security.SecureRandom().nextInt(5) < 5]
----
new Random().nextInt(0)
----
import java.nio.charset.StandardCharsets
['\u00e4'.getBytes(StandardCharsets.UTF_8).toList(), '\u00e4'.getBytes(StandardCharsets.ISO_8859_1).toList(), new String([-61, -92] as byte[], StandardCharsets.UTF_8), StandardCharsets.UTF_8, java.nio.charset.Charset.forName('utf-8').name(), java.nio.charset.Charset.forName('UTF-8') == StandardCharsets.UTF_8]
