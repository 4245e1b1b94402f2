import { createHash } from 'node:crypto'

/** What a command takes. */
export type RedisArgument = string | number | Buffer

/** A script that Redis runs in one step; it is sent once and named by its digest from then on. */
export class RedisScript {
  readonly lua: string
  readonly digest: string

  constructor(lua: string) {
    this.lua = lua
    // Redis names scripts by their SHA-1 (EVALSHA); nothing is trusted for it.
    this.digest = createHash('sha1').update(lua).digest('hex')
  }
}
