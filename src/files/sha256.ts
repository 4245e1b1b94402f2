import { hash } from 'node:crypto'

/** SHA-256 of a content, in lower-case hex. */
export function sha256(data: Buffer | string): string {
  return hash('sha256', data, 'hex')
}
