import { NoticeRefusedError, verifyNotice } from '@cardport/client';
import Fastify from 'fastify';

const { WEBHOOK_SECRET = '' } = process.env;

export const app = Fastify();
await app.register(async (hook) => {
  // In this scope JSON bodies stay raw; elsewhere Fastify parses them as usual.
  hook.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  hook.post<{ Body: Buffer }>('/hook', async ({ body, headers }, reply) => {
    try {
      await verifyNotice({ body, headers, secret: WEBHOOK_SECRET });
    } catch (error) {
      if (!(error instanceof NoticeRefusedError)) throw error;
      return await reply.code(error.statusToAnswer).send(error.message);
    }
    console.log('read the feed');
    return await reply.code(204).send();
  });
});
