[URLEncoder.encode('a b&c=d/\u00e4*~', 'UTF-8'), URLDecoder.decode('a+b%26c%3Dd%2F%C3%A4', 'UTF-8'), URLEncoder.encode('', 'UTF-8')]
----
URLDecoder.decode('%zz', 'UTF-8')
----
URLDecoder.decode('%a', 'UTF-8')
----
URLEncoder.encode('\u00e4', java.nio.charset.StandardCharsets.ISO_8859_1)
----
def u = new URI('https://user:pw@h.example:8443/a%20b/c?x=1&y=%C3%A4#f%20g'); [u.scheme, u.userInfo, u.host, u.port, u.path, u.rawPath, u.query, u.rawQuery, u.fragment, u.rawFragment, u.authority, u.toString()]
----
def u = new URI('/a/b?c=d'); [u.scheme, u.host, u.port, u.path, u.query, u.absolute, u.opaque]
----
new URI('http://a b/')
----
URI.create('http://a/%zz')
----
[URI.create('http://h/a/b/c').resolve('../d'), URI.create('http://h/a/b/c').resolve('/x'), URI.create('http://h/a/b/c').resolve('?q=1'), URI.create('http://h/a/b/c').resolve('http://other/'), URI.create('http://h/a').resolve('../../d'), URI.create('http://h/a/b/').resolve('./c')]
----
[new URI('http://h/a/./b/../c').normalize(), new URI('http', 'h', '/a b', 'f'), new URI('https', null, 'h', 8443, '/p q', 'a=b c', null)]
----
new URI('mailto:x@y.example').with { [scheme, schemeSpecificPart, opaque, path] }
----
[new URI('http://a/b') == new URI('http://a/b'), new URI('http://a/b') <=> new URI('http://a/c'), new URI('http://a').toURL().host]
----
def u = new URL('https://h.example:8443/p/q?x=1#r'); [u.protocol, u.host, u.port, u.path, u.query, u.ref, u.file, u.authority, u.defaultPort, u.toString(), u.toURI().path]
----
new URL('nope')
----
new URL('https://h/a').with { [port, query, file] }
----
'http://a.example.com:81/p?q#f'.toURI().with { [it.host, it.port, it.path, it.query, it.fragment] }
----
'http://a.example.com/x y'.toURI()
----
"https://${'a'}.example.com/p".toURL().with { [it.protocol, it.host, it.port, it.path] }
----
'no protocol'.toURL()
