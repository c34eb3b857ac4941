// The entry point of @cardport/client/node, with the parts that need Node's file system and HTTP.

export { fileTokenStore } from './file-token-store.ts';
export { nodeNoticeHandler, type NodeRequest, type NodeResponse } from './node-notice-handler.ts';
export type { NoticeHandlerOptions } from './notice-response.ts';
export type { NoticeSecret } from './notice.ts';
