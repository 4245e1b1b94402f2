// Base64 and Base64url of forgerock-util: they skip characters that are no digits, and return null for text that is cut off.
import { ByteArray } from '@identity-gateway/groovy'
import { extendWithHost, gatewayClass } from './host-class.ts'

const encoded =
  (alphabet: 'base64' | 'base64url') =>
  ({ bytes }: ByteArray): string =>
    Buffer.from(bytes).toString(alphabet)

function decoded(text: string): ByteArray | null {
  const digits = text.replace(/[^A-Za-z0-9+/=]/g, '')
  return digits.length % 4 === 0 ? new ByteArray(Uint8Array.from(Buffer.from(digits, 'base64'))) : null
}

/** As the Java class does, pads by the length of the whole text. */
function decodedUrl(text: string): ByteArray | null {
  const padded = text.padEnd(Math.ceil(text.length / 4) * 4, '=')
  return decoded(padded.replaceAll('-', '+').replaceAll('_', '/'))
}

extendWithHost(gatewayClass('util.encode.Base64'), {
  'static encode(byte[] bytes): String': encoded('base64'),
  'static decode(String text): byte[]': decoded,
})

extendWithHost(gatewayClass('util.encode.Base64url'), {
  'static encode(byte[] bytes): String': encoded('base64url'),
  'static decode(String text): byte[]': decodedUrl,
})
