export { openRedis } from './open-redis.ts'
export { type RedisArgument, type RedisConnection, RedisScript } from './redis-connection.ts'
export { RedisError, type RedisFailure } from './redis-error.ts'
export { checkRedis, REDIS_FIELDS, REDIS_RULES, type RedisValues } from './redis-fields.ts'
