import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { writeDurably } from '#files'
import { isInstanceId } from './fleet-settings.ts'

/** File of the state directory with the number of this instance. */
const FILE = 'instance-number'

const NUMBER = /^\d{1,9}$/
const MAX_NUMBER = 999_999_999
const MAX_HOST_NAME = 100

/**
 * The id of this instance where none is configured: the name of the host, and a number that is kept, so that the instance has
 * the same id after a restart. Several on one host have different state directories, and so different numbers.
 */
export async function defaultInstanceId(state: string, host = hostname()): Promise<string> {
  const name = host.replaceAll(/[^A-Za-z0-9._-]/g, '-').replace(/^[._-]+/, '')
  const number = await numberIn(state)
  const id = `${name.slice(0, MAX_HOST_NAME)}-${number}`
  return isInstanceId(id) ? id : `gateway-${number}`
}

async function numberIn(state: string): Promise<string> {
  const known = await readFile(join(state, FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  if (NUMBER.test(known.trim())) return known.trim()
  const number = String(randomInt(1, MAX_NUMBER))
  await writeDurably(state, FILE, `${number}\n`)
  return number
}
