// Bytes of a BigInteger: two's complement, the most significant byte first.

import { checkBits } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { BigIntegerClass } from '../../values/classes.ts'
import { NumberFormatException } from '../../values/exceptions.ts'
import { ByteArray } from '../../values/java-array.ts'
import { BigIntegerValue } from '../../values/numbers.ts'
import { throwable } from '../../values/throwable.ts'

function magnitude({ bytes }: ByteArray): bigint {
  checkBits(bytes.length * 8)
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
}

function fromBytes(bytes: ByteArray): BigIntegerValue {
  if (bytes.length === 0) throw throwable(NumberFormatException, 'Zero length BigInteger')
  return new BigIntegerValue(BigInt.asIntN(bytes.length * 8, magnitude(bytes)))
}

function fromMagnitude(sign: number, bytes: ByteArray): BigIntegerValue {
  if (sign < -1 || sign > 1) throw throwable(NumberFormatException, 'Invalid signum value')
  const value = magnitude(bytes)
  if (sign === 0 && value !== 0n) throw throwable(NumberFormatException, 'signum-magnitude mismatch')
  return new BigIntegerValue(BigInt(sign) * value)
}

function toBytes({ value }: BigIntegerValue): ByteArray {
  const bits = value === 0n ? 0 : (value < 0n ? ~value : value).toString(2).length
  const length = Math.floor(bits / 8) + 1
  const hex = BigInt.asUintN(length * 8, value).toString(16)
  return new ByteArray(Uint8Array.from(Buffer.from(hex.padStart(length * 2, '0'), 'hex')))
}

extend(BigIntegerClass, {
  'new(byte[] bytes)': fromBytes,
  'new(int signum, byte[] magnitude)': fromMagnitude,
  'toByteArray(): byte[]': toBytes,
})
