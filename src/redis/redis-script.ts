import { createHash } from 'node:crypto'

export type RedisArgument = string | number | Buffer

/** A script that Redis runs atomically; sent once, then called by its digest. */
export class RedisScript {
  readonly lua: string
  readonly digest: string

  constructor(lua: string) {
    this.lua = lua
    // EVALSHA names scripts by their SHA-1; nothing depends on its strength.
    this.digest = createHash('sha1').update(lua).digest('hex')
  }
}
